#!/usr/bin/env node
// One plugin for every host: see ../README.md.

import { mkdir, readFile, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { bool, Failure, integer, list, number, object, Plugin, string } from "../../../sdk/typescript/dist/index.js";

/** @type {Readonly<Record<string, number>>} */
const AVERAGES = { Lisbon: 21, Nairobi: 24, Oslo: 4 };
const SKIES = ["clear", "clouds", "rain"];

const city = string("Lisbon, Nairobi or Oslo.");
const days = integer({ description: "How many days, from 1 to 7.", default: 1 });

/** @param {string} name */
function averageOf(name) {
  const average = Object.hasOwn(AVERAGES, name) ? AVERAGES[name] : undefined;
  if (average === undefined) {
    throw Failure.at("city", `unknown city ${JSON.stringify(name)}; known cities are Lisbon, Nairobi and Oslo`);
  }
  return average;
}

/** @param {{ city: string, days: number }} wanted */
function forecast({ city, days }) {
  const average = averageOf(city);
  if (days < 1 || days > 7) throw Failure.at("days", `days must be from 1 to 7, not ${days}`);
  return Array.from({ length: days }, (_, index) => {
    const day = index + 1;
    return { day, high: average + (day % 3), sky: SKIES[(average + day) % 3] ?? "" };
  });
}

/** @param {string} city */
function climate(city) {
  const average = averageOf(city);
  return { average, is_cold: average < 10 };
}

/** A station as its file has it. @typedef {{ city: string, elevation: number }} Station */

/** The stations, as one file each. */
class Stations {
  /** @param {string} folder */
  constructor(folder) {
    this.folder = folder;
  }

  /** @param {string} name */
  #file(name) {
    return join(this.folder, `${name}.json`);
  }

  /** @param {{ name: string } & Station} station @param {"w" | "wx"} flag */
  async write({ name, city, elevation }, flag) {
    if (!/^[a-z0-9-]+$/.test(name)) {
      throw Failure.at("name", `invalid name ${JSON.stringify(name)}; use lower-case letters, digits and hyphens`);
    }
    averageOf(city);
    await mkdir(this.folder, { recursive: true });
    try {
      await writeFile(this.#file(name), `${JSON.stringify({ city, elevation })}\n`, { flag });
    } catch (error) {
      if (codeOf(error) === "EEXIST") throw Failure.at("name", `there is a station ${JSON.stringify(name)} already`);
      throw error;
    }
    return this.state({ name, city, elevation });
  }

  /** @param {string} name @returns {Promise<Station | undefined>} */
  async read(name) {
    try {
      return JSON.parse(await readFile(this.#file(name), "utf8"));
    } catch (error) {
      if (codeOf(error) === "ENOENT") return undefined;
      throw error;
    }
  }

  /** @param {string} name */
  async delete(name) {
    try {
      await unlink(this.#file(name));
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error;
    }
  }

  /** @param {{ name: string } & Station} station */
  state({ name, city, elevation }) {
    return { label: `${name} (${city}, ${elevation} m)`, key: `key-${name}` };
  }
}

/** @param {unknown} error */
function codeOf(error) {
  return /** @type {{ code?: string }} */ (error).code;
}

const plugin = new Plugin({ name: "weather", version: "1.0.0" })
  .configure(
    { folder: string({ description: "Where the stations are, as one file each.", default: "stations" }) },
    ({ folder }) => new Stations(folder),
  )
  .function("forecast", {
    description: "The weather of the next days in a city.",
    parameters: { city, days },
    returns: object({ city: string(), days: list(object({ day: number(), high: number(), sky: string() })) }),
  }, (wanted) => ({ city: wanted.city, days: forecast(wanted) }))
  .function("outlook", {
    description: "What a city is like, and null for no city.",
    parameters: { city: city.optional() },
    returns: object({ average: number(), is_cold: bool() }).nullable(),
  }, ({ city }) => city === undefined ? null : climate(city))
  .action("publish", {
    description: "Writes a forecast into a file.",
    idempotent: true,
    parameters: { city, days, file: string("The file that is written.") },
    outputs: { file: string(), lines: number() },
  }, async ({ file, ...wanted }, context) => {
    const weather = forecast(wanted);
    for (const { day } of weather) context.progress(`day ${day} of ${weather.length}`);
    const lines = weather.map(({ day, high, sky }) => `day ${day}: ${high} C, ${sky}\n`);
    try {
      await writeFile(file, lines.join(""));
    } catch (error) {
      throw Failure.at("file", `cannot write ${file}: ${/** @type {Error} */ (error).message}`);
    }
    return { file, lines: lines.length };
  })
  .resource("station", {
    description: "A weather station.",
    props: {
      name: string({ description: "Lower-case letters, digits and hyphens.", replaces: true }),
      city,
      elevation: integer({ description: "In metres.", default: 0 }),
    },
    state: {
      label: string("For people."),
      key: string({ description: "The station signs its readings with it.", secret: true, stable: true }),
    },
    async create(station, { state: stations }) {
      return { id: station.name, state: await stations.write(station, "wx") };
    },
    async read(name, props, { state: stations }) {
      const found = await stations.read(name);
      if (found === undefined && props === undefined) throw new Failure(`unknown station \`${name}\``);
      return found && { props: { name, ...found }, state: stations.state({ name, ...found }) };
    },
    async update(existing, station, { state: stations }) {
      return { state: await stations.write({ ...station, name: existing.id }, "w") };
    },
    delete: (existing, { state: stations }) => stations.delete(existing.id),
  })
  .dataSource("climate", {
    description: "What a city is like.",
    props: { city },
    result: { average: number(), is_cold: bool() },
  }, ({ city }) => climate(city))
  .postPlan(({ address, resource_type, planned_action }) => {
    const isLost = planned_action === "Delete" || planned_action === "Replace";
    if (resource_type !== "weather_station" || !isLost) return { status: "pass" };
    return { status: "warn", message: `${address} is deleted, and its readings are lost` };
  });

await plugin.serve();
