// Made by bundle.mjs out of src/. Do not edit.
export {
  ActionProvider,
  DENOBRIDGE_VERSION,
  DatasourceProvider,
  EphemeralResourceProvider,
  Failure,
  ResourceProvider,
  ZodActionProvider,
  ZodDatasourceProvider,
  ZodEphemeralResourceProvider,
  ZodResourceProvider,
} from "./index.js";
