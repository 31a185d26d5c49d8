import { type AnyPlugin, Plugin } from "./plugin.ts";

/** A plugin of hooks, as the RFC of Seasonings calls it. */
export class MiddlewareServer extends Plugin {}

/** A plugin of any kind, as the RFC of Seasonings calls it. */
export class PluginServer extends Plugin {}

/** Connects a plugin to its host on stdin and stdout, as the RFC of Seasonings writes it. */
export class StdioTransport {
  /** Serves the plugin until its host is gone. */
  connect(plugin: AnyPlugin): Promise<void> {
    return plugin.serve();
  }
}
