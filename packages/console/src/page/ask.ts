import { isSafeNumber, parse } from 'lossless-json';
import { useEffect, useState } from 'preact/hooks';
import type { Problem } from '../server/answer-error.ts';

/** An answer that is there, the problem why it isn't, or neither while it is waited for. */
export interface Asked<T> {
  readonly answer?: T;
  readonly problem?: Problem;
}

/** What the console's server answers to this path, asked again whenever path or `version` change; '' asks nothing. */
export function useAnswer<T>(path: string, version: unknown = 0): Asked<T> {
  const [asked, setAsked] = useState<Asked<T> & { readonly path?: string }>({});
  useEffect(() => {
    if (path === '') return undefined;
    const stop = new AbortController();
    ask<T>(path, { signal: stop.signal })
      .then((answer) => setAsked({ answer, path }))
      .catch((error: unknown) => {
        if (!stop.signal.aborted) setAsked({ problem: problemOf(error), path });
      });
    return () => stop.abort();
  }, [path, version]);
  // What was answered to another path is not shown under this one.
  return asked.path === path ? asked : {};
}

const constants = new Map<string, Promise<unknown>>();

/** What never changes, as the decimals of an asset: asked once, however many show it. Undefined until it is there. */
export function useConstant<T>(path: string): T | undefined {
  const [value, setValue] = useState<T>();
  useEffect(() => {
    let isShown = true;
    const asking = constants.get(path) ?? ask(path, {});
    constants.set(path, asking);
    asking.then((answer) => isShown && setValue(answer as T)).catch(() => constants.delete(path));
    return () => void (isShown = false);
  }, [path]);
  return value;
}

/** Values for the parameters of a control's route. */
export type ControlValues = Readonly<Record<string, string | number | boolean>>;

/** Asks for a control; the view shows what went wrong, and the state after it. */
export type Control = (name: string, values?: ControlValues) => void;

/** What was put into a field; the forms have no files. */
export function textOf(value: FormDataEntryValue | null): string {
  return typeof value === 'string' ? value.trim() : '';
}

/** Sends JSON to the console's server. @throws Refused */
export function send<T>(path: string, body: unknown = {}): Promise<T> {
  return ask<T>(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
}

/** An answer that is no success. */
class Refused extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

export function problemOf(error: unknown): Problem {
  if (error instanceof Refused) return error.problem;
  return { code: 'console_unreachable', message: 'The console’s own server does not answer: is it still running?' };
}

/** @throws Refused */
async function ask<T>(path: string, init: RequestInit): Promise<T> {
  const response = await fetch(path, init);
  const value = readJson(await response.text());
  if (response.ok) return value as T;
  // algod's errors have a message and no code, the facilitator's call it `error`.
  const { error, code = error, message, remedy } = (value ?? {}) as Partial<Problem> & { readonly error?: string };
  throw new Refused({
    code: code ?? `http_${response.status}`,
    message: message ?? `it answered ${response.status}`,
    ...(remedy !== undefined && { remedy }),
  });
}

/** JSON whose whole numbers are exact: those above 2^53 are bigints. */
function readJson(text: string): unknown {
  try {
    return parse(text, null, (digits) => (isSafeNumber(digits) ? Number(digits) : BigInt(digits)));
  } catch {
    return undefined;
  }
}
