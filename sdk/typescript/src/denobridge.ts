/**
 * Scripts of the Terraform provider `denobridge` in the shape of `@brad-jones/terraform-provider-denobridge`: a script that was
 * written for it changes only its import. For new plugins, `Plugin` of `@tenon/sdk` serves denobridge as well.
 */

export {
  ActionProvider,
  DatasourceProvider,
  DENOBRIDGE_VERSION,
  EphemeralResourceProvider,
  Failure,
  ResourceProvider,
  ZodActionProvider,
  ZodDatasourceProvider,
  ZodEphemeralResourceProvider,
  ZodResourceProvider,
} from "./core.ts";
export type {
  ActionProviderMethods,
  DatasourceProviderMethods,
  Diagnostics,
  EphemeralResourceProviderMethods,
  ResourceProviderMethods,
} from "./core.ts";
