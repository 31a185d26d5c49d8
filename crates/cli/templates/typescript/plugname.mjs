#!/usr/bin/env node
// plugname: a plugin. README.md says how each host runs it.
// @ts-check
import { realpathSync } from "node:fs";
//: action resource storage
import { promises as fs } from "node:fs";
//: end
//: storage
import { dirname, join, relative } from "node:path";
//: end
import process from "node:process";
import { pathToFileURL } from "node:url";

//: storage
import { Failure } from "./tenon-sdk/index.js";
//: end
//: action resource
import { number } from "./tenon-sdk/index.js";
//: end
import { Plugin } from "./tenon-sdk/index.js";
//: function action resource
import { string } from "./tenon-sdk/index.js";
//: end

export const plugin = new Plugin({ name: "plugname", version: "0.1.0" });
//: function

plugin.function(
  "greet",
  {
    description: "Greets somebody.",
    parameters: { name: string("Whom to greet."), greeting: string({ default: "hello" }) },
    returns: string(),
  },
  greet,
);

/** @param {{ name: string, greeting: string }} given */
export function greet({ name, greeting }) {
  return `${greeting}, ${name}`;
}
//: end
//: action

plugin.action(
  "append",
  {
    description: "Appends a line to a file.",
    parameters: { file: string(), line: string() },
    outputs: { lines: number("How many lines the file has now.") },
  },
  append,
);

/** @param {{ file: string, line: string }} given */
export async function append({ file, line }) {
  await fs.appendFile(file, `${line}\n`);
  const text = await fs.readFile(file, "utf8");
  return { lines: text.split("\n").length - 1 };
}
//: end
//: resource

/** @typedef {{ path: string, text: string }} Note */

/** A file with some text. Its id is its path. */
export const note = {
  /** @param {Note} props */
  async create({ path, text }) {
    // A file that somebody else made is not ours to overwrite.
    await fs.writeFile(path, text, { flag: "wx" });
    return { id: path, state: { words: words(text) } };
  },

  /** @param {string} id */
  async read(id) {
    const text = await fs.readFile(id, "utf8").catch(absent);
    return text === undefined ? undefined : { props: { path: id, text }, state: { words: words(text) } };
  },

  /**
   * @param {{ id: string }} existing
   * @param {Note} props
   */
  async update({ id }, { text }) {
    await fs.writeFile(id, text);
    return { state: { words: words(text) } };
  },

  /** @param {{ id: string }} existing */
  async delete({ id }) {
    await fs.rm(id, { force: true });
  },
};

plugin.resource("note", {
  description: "A file with some text.",
  props: {
    path: string({ description: "Where the file is.", replaces: true }),
    text: string("What is in it."),
  },
  state: { words: number("How many words are in it.") },
  ...note,
});

/** @param {string} text */
function words(text) {
  return text.split(/\s+/).filter((word) => word !== "").length;
}
//: end
//: storage

/**
 * Keeps the states of Terraform as files in a folder.
 *
 * A state is written to another file first and then renamed, so that there is always the old one or the new one. A lock is a file
 * as well: its id, and what its owner says about itself. Only one process may use the folder: calls are done one after another.
 */
export class Store {
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();

  /** @param {string} folder */
  constructor(folder) {
    this.folder = folder;
  }

  /** @param {string} path */
  read(path) {
    return fs.readFile(this.#file(path, "tfstate")).catch(absent);
  }

  /**
   * @param {string} path
   * @param {Uint8Array} state
   * @param {string | undefined} lockId
   */
  write(path, state, lockId) {
    return this.#alone(async () => {
      check(await this.#held(path), lockId);
      await replace(this.#file(path, "tfstate"), state);
    });
  }

  /**
   * @param {string} path
   * @param {{ id: string, info: string }} wanted
   */
  lock(path, wanted) {
    return this.#alone(async () => {
      const held = await this.#held(path);
      if (held !== undefined && held.id !== wanted.id) throw Failure.locked(held);
      await replace(this.#file(path, "lock"), `${wanted.id}\n${wanted.info}`);
      return wanted.id;
    });
  }

  /**
   * @param {string} path
   * @param {string | undefined} lockId
   */
  unlock(path, lockId) {
    return this.#alone(async () => {
      const held = await this.#held(path);
      if (held === undefined) return;
      check(held, lockId);
      await fs.rm(this.#file(path, "lock"));
    });
  }

  /** @param {string} prefix */
  async list(prefix) {
    /** @type {string[]} */
    const paths = [];
    const collect = async (/** @type {string} */ folder) => {
      for (const entry of (await fs.readdir(folder, { withFileTypes: true }).catch(absent)) ?? []) {
        const file = join(folder, entry.name);
        if (entry.isDirectory()) await collect(file);
        else if (file.endsWith(".tfstate")) paths.push(relative(this.folder, file).slice(0, -".tfstate".length));
      }
    };
    await collect(this.folder);
    return paths.filter((path) => path.startsWith(prefix)).sort();
  }

  /**
   * @param {string} path
   * @param {string | undefined} lockId
   */
  delete(path, lockId) {
    return this.#alone(async () => {
      check(await this.#held(path), lockId);
      await fs.rm(this.#file(path, "tfstate"), { force: true });
    });
  }

  /**
   * @param {string} path
   * @param {string} ending
   */
  #file(path, ending) {
    return join(this.folder, `${path}.${ending}`);
  }

  /** @param {string} path */
  async #held(path) {
    const text = await fs.readFile(this.#file(path, "lock"), "utf8").catch(absent);
    if (text === undefined) return undefined;
    const [id = "", ...info] = text.split("\n");
    return { id, info: info.join("\n") };
  }

  /**
   * Checking a lock and changing a state are one step.
   *
   * @template T
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  #alone(work) {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }
}

plugin.storage(new Store("states"));

/**
 * @param {{ id: string, info: string } | undefined} held
 * @param {string | undefined} lockId
 */
function check(held, lockId) {
  if (lockId !== undefined && held?.id !== lockId) throw Failure.locked(held);
}

/**
 * @param {string} file
 * @param {Uint8Array | string} data
 */
async function replace(file, data) {
  await fs.mkdir(dirname(file), { recursive: true });
  const part = await fs.open(`${file}.part`, "w");
  try {
    await part.writeFile(data);
    await part.sync();
  } finally {
    await part.close();
  }
  await fs.rename(`${file}.part`, file);
  // The new name is on disk when its folder is.
  const folder = await fs.open(dirname(file));
  await folder.sync().finally(() => folder.close());
}
//: end
//: resource storage

/**
 * Nothing, for a file that does not exist.
 *
 * @param {NodeJS.ErrnoException} error
 * @returns {undefined}
 */
function absent(error) {
  if (error.code !== "ENOENT") throw error;
  return undefined;
}
//: end
//: hook

plugin.postPlan(warnAboutDeletion);

/**
 * Called for each resource that Terraform plans.
 *
 * @param {{ address: string, planned_action?: string }} change
 * @returns {import("./tenon-sdk/index.js").Verdict}
 */
export function warnAboutDeletion({ address, planned_action }) {
  const isDeleted = planned_action === "Delete" || planned_action === "Replace";
  return isDeleted ? { status: "warning", message: `${address} will be destroyed` } : undefined;
}
//: end

// A host runs this file; a test imports it.
if (process.argv[1] && import.meta.url === pathToFileURL(realpathSync(process.argv[1])).href) await plugin.serve();
