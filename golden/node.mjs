// Runs a program for wasm32-wasip1 in Node.js: `node node.mjs PROGRAM.wasm [ARGUMENTS]`.
import { readFile } from "node:fs/promises";
import { argv, exit } from "node:process";
import { WASI } from "node:wasi";

const [, , program, ...rest] = argv;
const wasi = new WASI({ version: "preview1", args: [program, ...rest], returnOnExit: true });
const module = await WebAssembly.compile(await readFile(program));
exit(wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject())));
