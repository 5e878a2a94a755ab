import { readFile } from 'node:fs/promises';
import { jsonIn } from '@avm402/core/unknown-json';
import { invalidArguments } from '../command/command.ts';
import { explain } from '../words/explain.ts';

/**
 * Reads a file that an option or an argument names.
 * @throws X402Error `invalid_arguments`
 */
export function readInput(path: string): Promise<Buffer> {
  return accessible('read', path, () => readFile(path));
}

/**
 * Reads a file of JSON; undefined if it holds anything else.
 * @throws X402Error `invalid_arguments`
 */
export async function readJsonInput(path: string): Promise<unknown> {
  return jsonIn((await readInput(path)).toString());
}

/**
 * Does work with a path that an option or an argument names.
 * @throws X402Error `invalid_arguments`, which names the path, and why it failed
 */
export async function accessible<T>(what: 'read' | 'write', path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw invalidArguments(`can't ${what} ${path}: ${explain(cause).message}`);
  }
}
