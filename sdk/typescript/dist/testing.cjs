// Made by bundle.mjs out of src/. Do not edit.
"use strict";
const all = require("./core.cjs");
exports.Host = all.Host;
exports.memoryHost = all.memoryHost;
