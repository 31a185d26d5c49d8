// Calls a method once, with time to wait for hours, and has nothing more to do.
//
//     single_call.mjs SOCKET

import process from "node:process";

import { Client } from "../build/ipc/mod.js";

const hour = 3_600_000;
const options = { connectionTimeout: hour, requestTimeout: hour, autoReconnect: true };
const client = new Client({ socketPath: process.argv[2], ...options });
await client.connect();
await client.request("m");
await client.disconnect();
