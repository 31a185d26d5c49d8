// Made by bundle.mjs out of src/. Do not edit.
export {
  ActionProvider,
  ActionProviderMethods,
  DENOBRIDGE_VERSION,
  DatasourceProvider,
  DatasourceProviderMethods,
  Diagnostics,
  EphemeralResourceProvider,
  EphemeralResourceProviderMethods,
  Failure,
  ResourceProvider,
  ResourceProviderMethods,
  ZodActionProvider,
  ZodDatasourceProvider,
  ZodEphemeralResourceProvider,
  ZodResourceProvider,
} from "./core.cjs";
