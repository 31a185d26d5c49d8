// The service with vscode-jsonrpc on stdin and stdout. NODE_MODULES_HERE is the folder that it is installed in.

import { createRequire } from "node:module";

const { createMessageConnection, StreamMessageReader, StreamMessageWriter } =
  createRequire(`${process.env.NODE_MODULES_HERE}/`)("vscode-jsonrpc/node");

const connection = createMessageConnection(new StreamMessageReader(process.stdin), new StreamMessageWriter(process.stdout));
connection.onRequest("echo", (params) => params);
connection.onClose(() => process.exit(0));
connection.listen();
