// Made by bundle.mjs out of src/. Do not edit.
export {
  ActionProvider,
  ActionProviderMethods,
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
