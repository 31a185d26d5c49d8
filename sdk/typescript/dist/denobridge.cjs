// Made by bundle.mjs out of src/. Do not edit.
"use strict";
const all = require("./index.cjs");
exports.ActionProvider = all.ActionProvider;
exports.DENOBRIDGE_VERSION = all.DENOBRIDGE_VERSION;
exports.DatasourceProvider = all.DatasourceProvider;
exports.EphemeralResourceProvider = all.EphemeralResourceProvider;
exports.Failure = all.Failure;
exports.ResourceProvider = all.ResourceProvider;
exports.ZodActionProvider = all.ZodActionProvider;
exports.ZodDatasourceProvider = all.ZodDatasourceProvider;
exports.ZodEphemeralResourceProvider = all.ZodEphemeralResourceProvider;
exports.ZodResourceProvider = all.ZodResourceProvider;
