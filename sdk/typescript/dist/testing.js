// Made by bundle.mjs out of src/. Do not edit.
export {
  Host,
  memoryHost,
} from "./index.js";
