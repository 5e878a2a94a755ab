import { isX402Error } from './errors.ts';

/**
 * Gives an error of ours the stack of the call that caused it, beginning where `called` was called. A program that does
 * not catch it then shows its own line, the message and the remedy; `innerStack` keeps the lines inside our packages.
 * Anything else than an `X402Error` is returned as it is.
 */
export function blameCaller(error: unknown, called: (...given: never[]) => unknown): unknown {
  // Not every engine can leave out a part of a stack.
  const capture: unknown = Reflect.get(Error, 'captureStackTrace');
  if (!isX402Error(error) || typeof capture !== 'function') return error;
  const { innerStack = error.stack } = error;
  Reflect.apply(capture, Error, [error, called]);
  return Object.defineProperty(error, 'innerStack', { value: innerStack, configurable: true });
}

/** Runs `work` for a call of `called`, and blames the caller of `called` for an error that it throws. */
export function blaming<Made>(called: (...given: never[]) => unknown, work: () => Made): Made {
  try {
    return work();
  } catch (error) {
    throw blameCaller(error, called);
  }
}

/** The same function, which blames its caller for the errors that it throws. */
export function blamingCaller<Given extends unknown[], Made>(
  work: (...given: Given) => Made,
): (...given: Given) => Made {
  return function called(...given) {
    return blaming(called, () => work(...given));
  };
}
