import { jsonIn } from '@avm402/core/unknown-json';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Problem } from '../server/answer-error.ts';
import { useLive } from './live.ts';

/** An answer, the problem why there is none, or neither while the answer is awaited. */
export interface Asked<T> {
  readonly answer?: T;
  readonly problem?: Problem;
}

/**
 * The console server's answer to this path, requested again when path or `version` change; '' requests nothing. While an
 * answer is awaited, changes of the version wait, too: faster than answers come, they would let none arrive.
 */
export function useAnswer<T>(path: string, version: unknown = 0): Asked<T> {
  const [asked, setAsked] = useState<Asked<T> & { readonly path?: string }>({});
  const line = useRef(newLine());
  useEffect(
    () => () => {
      line.current.stop.abort();
      line.current = newLine();
    },
    [path],
  );
  useEffect(() => {
    let isLatest = path !== '';
    const { signal } = line.current.stop;
    const request = async (): Promise<void> => {
      if (!isLatest) return;
      const answered = await ask<T>(path, { signal }).then(
        (answer) => ({ answer }),
        (error: unknown) => ({ problem: problemOf(error) }),
      );
      if (!signal.aborted) setAsked({ ...answered, path });
    };
    line.current.last = line.current.last.then(request);
    return () => void (isLatest = false);
  }, [path, version]);
  // The answer to another path is not shown under this one.
  return asked.path === path ? asked : {};
}

/** The requests of one path, one after another. */
const newLine = () => ({ stop: new AbortController(), last: Promise.resolve() });

const constants = new Map<string, { readonly chain: number; readonly asking: Promise<unknown> }>();

/** A constant of a chain, such as an asset's decimals, requested once for all views; undefined until it has arrived. */
export function useConstant<T>(path: string): T | undefined {
  const chain = useLive('chain');
  const [known, setKnown] = useState<{ readonly path: string; readonly value: T }>();
  useEffect(() => {
    let isShown = true;
    const held = constants.get(path);
    const asking = held?.chain === chain ? held.asking : ask(path, {});
    constants.set(path, { chain, asking });
    asking.then(
      (value) => isShown && setKnown({ path, value: value as T }),
      () => {
        constants.delete(path);
        if (isShown) setKnown(undefined);
      },
    );
    return () => void (isShown = false);
  }, [path, chain]);
  return known?.path === path ? known.value : undefined;
}

/** Sends JSON to the console's server. @throws Refused */
export function send<T>(path: string, body: unknown = {}): Promise<T> {
  return ask<T>(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
}

/** An answer other than a success, of the console's server or of a wallet. */
export class Refused extends Error {
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
  const value = jsonIn(await response.text());
  if (response.ok) return value as T;
  // algod's errors have a message and no code; the facilitator's have the code in `error`.
  const { error, code = error, message, remedy } = (value ?? {}) as Partial<Problem> & { readonly error?: string };
  throw new Refused({
    code: code ?? `http_${response.status}`,
    message: message ?? `it answered ${response.status}`,
    ...(remedy !== undefined && { remedy }),
  });
}
