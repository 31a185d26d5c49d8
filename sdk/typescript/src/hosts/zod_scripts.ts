import type { StandardSchema } from "../define/standard.ts";
import {
  ActionProvider,
  type ActionProviderMethods,
  DatasourceProvider,
  type DatasourceProviderMethods,
  type Diagnostics,
  EphemeralResourceProvider,
  type EphemeralResourceProviderMethods,
  refusal,
  ResourceProvider,
  type ResourceProviderMethods,
  type ScriptValue,
} from "./scripts.ts";

type Out<S> = S extends { readonly "~standard": { readonly types?: infer T } }
  ? (NonNullable<T> extends { output: infer O } ? O : unknown)
  : undefined;

/** What a schema makes of a value. @throws {Diagnostics} It refuses it; the paths begin with `root`. */
async function parsed(schema: StandardSchema | undefined, value: unknown, root: string): Promise<ScriptValue> {
  if (schema === undefined) return value;
  const result = await schema["~standard"].validate(value ?? undefined);
  if (result.issues === undefined) return result.value;
  throw new RefusedValue(result.issues.map(({ message, path = [] }) => ({
    severity: "error" as const,
    summary: "Invalid value",
    detail: message,
    ...(path.length === 0
      ? {}
      : { propPath: [root, ...path.map((step) => String(typeof step === "object" ? step.key : step))] }),
  })));
}

/** What a schema refuses, on its way out of a handler. */
class RefusedValue extends Error {
  readonly diagnostics: Diagnostics["diagnostics"];

  constructor(diagnostics: Diagnostics["diagnostics"]) {
    super("invalid value");
    this.diagnostics = diagnostics;
  }
}

async function checked(work: () => Promise<ScriptValue>): Promise<ScriptValue> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RefusedValue) return { diagnostics: error.diagnostics };
    throw error;
  }
}

/** A resource whose props and state are checked by schemas of zod or any other library. */
export class ZodResourceProvider<P extends StandardSchema, S extends StandardSchema | undefined = undefined>
  extends ResourceProvider<Out<P>, Out<S>> {
  constructor(props: P, state: S, methods: ResourceProviderMethods<Out<P>, Out<S>>);
  constructor(props: P, methods: ResourceProviderMethods<Out<P>>);
  constructor(props: P, second: ScriptValue, third?: ScriptValue) {
    const state = third === undefined ? undefined : (second as StandardSchema | undefined);
    const methods = (third ?? second) as ResourceProviderMethods<ScriptValue, ScriptValue>;
    const given = (
      value: unknown,
      root: string,
    ) => (value === null || value === undefined ? value : parsed(props, value, root));
    const stored = (value: unknown) => (value === null || value === undefined ? value : parsed(state, value, "state"));
    const returned = async (
      answer: ScriptValue,
    ) => (refusal(answer) !== undefined || answer === undefined || !("state" in answer)
      ? answer
      : { ...answer, state: await parsed(state, answer.state, "state") });
    super({
      create: (value: unknown) => checked(async () => returned(await methods.create(await given(value, "props")))),
      read: (id: string, value: unknown) =>
        checked(async () => returned(await methods.read(id, await given(value, "props")))),
      update: (id: string, next: unknown, current: unknown, before: unknown) =>
        checked(async () => {
          const answer = await methods.update(
            id,
            await given(next, "nextProps"),
            await given(current, "currentProps"),
            await stored(before),
          );
          return refusal(answer) !== undefined || answer === undefined ? answer : parsed(state, answer, "state");
        }),
      delete: (id: string, value: unknown, before: unknown) =>
        checked(async () => methods.delete(id, await given(value, "props"), await stored(before))),
      ...(methods.modifyPlan === undefined ? {} : {
        // Parts of a plan are not known yet, so that its props are passed as they are.
        modifyPlan: (id: string | null, kind: "create" | "update" | "delete", next: ScriptValue, current: ScriptValue, before: ScriptValue) =>
          methods.modifyPlan?.(id, kind, next, current, before),
      }),
    } as ResourceProviderMethods<ScriptValue, ScriptValue>);
  }
}

/** A data source whose props and result are checked by schemas. */
export class ZodDatasourceProvider<P extends StandardSchema, R extends StandardSchema>
  extends DatasourceProvider<Out<P>, Out<R>> {
  constructor(props: P, result: R, methods: DatasourceProviderMethods<Out<P>, Out<R>>) {
    super({
      read: (value: unknown) =>
        checked(async () => {
          const answer = await methods.read(await parsed(props, value, "props"));
          return refusal(answer) ?? parsed(result, answer, "result");
        }),
    });
  }
}

/** An ephemeral resource whose props, result and private data are checked by schemas. */
export class ZodEphemeralResourceProvider<P extends StandardSchema, R extends StandardSchema, D extends StandardSchema>
  extends EphemeralResourceProvider<Out<P>, Out<R>, Out<D>> {
  constructor(props: P, result: R, privateData: D, methods: EphemeralResourceProviderMethods<Out<P>, Out<R>, Out<D>>) {
    const kept = (
      value: unknown,
    ) => (value === undefined || value === null ? undefined : parsed(privateData, value, "privateData"));
    const { renew, close } = methods;
    super({
      open: (value: unknown) =>
        checked(async () => {
          const answer = await methods.open(await parsed(props, value, "props")) as ScriptValue;
          if (refusal(answer) !== undefined) return answer;
          return {
            ...answer,
            result: await parsed(result, answer.result, "result"),
            ...(answer.privateData === undefined ? {} : { privateData: await kept(answer.privateData) }),
          };
        }),
      ...(renew === undefined
        ? {}
        : { renew: (value: unknown) => checked(async () => renew.call(methods, await kept(value) as ScriptValue)) }),
      ...(close === undefined
        ? {}
        : { close: (value: unknown) => checked(async () => close.call(methods, await kept(value) as ScriptValue)) }),
    } as EphemeralResourceProviderMethods<ScriptValue, ScriptValue, ScriptValue>);
  }
}

/** An action whose props are checked by a schema. */
export class ZodActionProvider<P extends StandardSchema> extends ActionProvider<Out<P>> {
  constructor(props: P, methods: ActionProviderMethods<Out<P>>) {
    super({
      invoke: (value: unknown, progress) =>
        checked(async () => methods.invoke(await parsed(props, value, "props"), progress)),
    });
  }
}
