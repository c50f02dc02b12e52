// node mock/main.ts [--port N] [SCENARIO]
import { parseArgs } from "node:util";
import { startMock } from "./server.ts";

const { values, positionals } = parseArgs({ options: { port: { type: "string" } }, allowPositionals: true });
const mock = await startMock({ port: Number(values.port ?? 8765), scenario: positionals[0] ?? "pendulum" });
console.log(`mock of lockstep at ${mock.address}`);
