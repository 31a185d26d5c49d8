// Made by bundle.mjs out of src/. Do not edit.
"use strict";
const all = require("./index.cjs");
exports.Host = all.Host;
exports.memoryHost = all.memoryHost;
