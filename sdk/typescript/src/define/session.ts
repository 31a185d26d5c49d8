import type { Awaitable } from "../values/awaitable.ts";
import { Failure } from "../values/failure.ts";
import { nearest, problemsText, Unfit } from "../values/problem.ts";
import { JSON_READING, type Reading, readObject, type Wire } from "../values/read.ts";
import type { Parts } from "./parts.ts";
import type { AnyPlugin } from "./plugin.ts";
import { validated } from "./standard.ts";

/** How long `shutdown` may take once the host is gone, because nothing would end a plugin that hangs. */
const SHUTDOWN_LIMIT = 5000;

type StageName = "waiting" | "deferred" | "ready" | "ended";

/** Why a plugin cannot be configured. */
export class Unconfigured extends Error {
  readonly reason: "ended" | "twice";

  constructor(reason: "ended" | "twice") {
    super(reason === "ended" ? "the plugin has been shut down" : "the plugin is already configured");
    this.reason = reason;
  }
}

/** A running plugin: whether it is configured, and what `configure` made. */
export class Session {
  readonly plugin: AnyPlugin;
  readonly parts: Parts;
  #stage: StageName;
  #state: unknown;
  #configuring: Promise<void> = Promise.resolve();
  /** The configuration as the host has sent it. */
  givenConfig: Wire;

  constructor(plugin: AnyPlugin) {
    this.plugin = plugin;
    this.parts = plugin.parts;
    this.#stage = plugin.parts.configure === undefined ? "ready" : "waiting";
  }

  get stage(): StageName {
    return this.#stage;
  }

  /**
   * Configures the plugin. If there is nothing to configure, this may be repeated or left out.
   *
   * @throws {Unfit} The configuration does not fit.
   * @throws {Unconfigured} It is too late for that.
   */
  configure(given: Wire, reading: Reading): Promise<void> {
    const attempt = this.#configuring.then(() => this.#configure(given, reading));
    this.#configuring = attempt.catch(() => undefined);
    return attempt;
  }

  async #configure(given: Wire, reading: Reading): Promise<void> {
    this.givenConfig = given;
    const read = readObject(given, this.parts.config.attributes, reading);
    if (this.#stage === "ended") throw new Unconfigured("ended");
    if (this.parts.configure === undefined) return;
    if (this.#stage === "ready") throw new Unconfigured("twice");
    const config = await validated(this.parts.config, read);
    this.#state = await this.parts.configure(config);
    this.#stage = "ready";
  }

  /** Parts of the configuration are not known yet. */
  defer(): void {
    if (this.#stage === "waiting") this.#stage = "deferred";
  }

  /**
   * What `configure` made. If the host has not configured the plugin, that is done with the defaults.
   *
   * @throws {Failure} The plugin needs a configuration that it does not have.
   */
  async state(): Promise<unknown> {
    if (this.#stage === "ready") return this.#state;
    await this.#configuring;
    if (this.#stage === "waiting") {
      try {
        await this.configure({}, JSON_READING);
      } catch (error) {
        // Two calls may come at once, and one of them is first.
        if (error instanceof Unfit) {
          throw new Failure(
            `the plugin needs a configuration, which this host cannot provide: ${problemsText(error.problems)}`,
          );
        }
        if (!(error instanceof Unconfigured)) throw error;
      }
    }
    return this.current;
  }

  /**
   * What `configure` made.
   *
   * @throws {Failure} It was not called, or too late.
   */
  get current(): unknown {
    switch (this.#stage) {
      case "ready":
        return this.#state;
      case "waiting":
        throw new Failure("the plugin needs a configuration, and is not configured yet");
      case "deferred":
        throw new Failure(
          "the configuration of the plugin has values that are known only after apply; apply what they depend on first",
        );
      case "ended":
        throw new Failure("the plugin has been shut down");
    }
  }

  /** The state for a function, most of which do without: what is wrong is thrown where it asks for the state. */
  stateOnDemand(): () => unknown {
    if (this.#stage !== "ready") return () => this.current;
    const state = this.#state;
    return () => state;
  }

  /** The same in a host that never configures plugins: the defaults are the configuration. */
  defaultStateOnDemand(): Awaitable<() => unknown> {
    if (this.#stage !== "waiting") return this.stateOnDemand();
    return this.state().then((state) => () => state, (error: unknown) => () => {
      throw error;
    });
  }

  /** Ends the plugin: its `shutdown` is called once. */
  async shutDown(): Promise<void> {
    const before = this.#stage;
    this.#stage = "ended";
    if (before === "ready") await this.parts.shutdown?.(this.#state);
  }

  /** Ends the plugin after the host is gone, whatever its `shutdown` does. */
  async abandon(): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, SHUTDOWN_LIMIT);
    });
    try {
      await Promise.race([this.shutDown(), limit]);
    } catch (error) {
      console.error(error);
    }
    clearTimeout(timer);
  }

  /** There is nothing of this kind and name. */
  missing(kind: string, name: string, all: Iterable<string>): string {
    const near = nearest(name, [...all]);
    const hint = near === undefined ? `the plugin offers ${this.summary()}` : `did you mean \`${near}\`?`;
    return `unknown ${kind} \`${name}\`; ${hint}`;
  }

  /** What the plugin offers, in one line: `the actions add, fail and the function count`. */
  summary(): string {
    const kinds: [string, Map<string, unknown>][] = [
      ["action", this.parts.actions],
      ["function", this.parts.functions],
      ["resource", this.parts.resources],
      ["data source", this.parts.dataSources],
      ["ephemeral resource", this.parts.ephemerals],
    ];
    const found = kinds
      .filter(([, all]) => all.size > 0)
      .map(([kind, all]) => `the ${kind}${all.size === 1 ? "" : "s"} ${[...all.keys()].sort().join(", ")}`);
    return found.length === 0 ? "nothing" : found.join(" and ");
  }
}
