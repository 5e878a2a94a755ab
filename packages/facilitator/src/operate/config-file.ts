import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseEnv } from 'node:util';
import { X402Error } from '@avm402/core/errors';
import { reasonOf } from '../reason.ts';
import { environment as settings } from './settings.ts';
import type { Variables } from './variables.ts';

/** Settings from a file and the environment. */
export interface ConfigFile {
  /** The variables of both; the environment overrides the file. */
  readonly variables: Variables;
  /** One line for each unknown name in the file: a mistyped limit would limit nothing. */
  readonly problems: readonly string[];
  /** Adds to a problem the place of the setting that it begins with. */
  readonly located: (problem: string) => string;
}

/** Variables that other programs read from the same environment. */
const OF_OTHERS = /^(OTEL|NODE)_/;

/**
 * Reads settings from a file in the form of `.env`, under the names that they have in the environment.
 * @throws X402Error `environment_invalid` if the file can't be read
 */
export function readConfigFile(path: string, environment: Variables): ConfigFile {
  const text = readText(path);
  const inFile: Variables = parseEnv(text);
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));
  const unknown = Object.keys(inFile).filter((name) => !(name in settings.shape) && !OF_OTHERS.test(name));
  const sourceOf = (name: string): string | undefined => {
    if (given[name] !== undefined) return 'environment';
    return inFile[name] === undefined ? undefined : `${basename(path)}:${lineOf(name, text)}`;
  };
  return {
    variables: { ...inFile, ...given },
    problems: unknown.map((name) => `${name}: is not a setting of the facilitator`),
    located: (problem) => {
      const [name = ''] = /^\w+/.exec(problem) ?? [];
      const source = sourceOf(name);
      return source === undefined ? problem : `${name} (${source})${problem.slice(name.length)}`;
    },
  };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new X402Error('environment_invalid', { message: `--config: ${reasonOf(cause)}`, cause });
  }
}

/** The line of a setting, counted from 1; if it is set twice, the last one counts. */
function lineOf(name: string, text: string): number {
  const lines = text.split('\n');
  return lines.findLastIndex((line) => new RegExp(`^\\s*(?:export\\s+)?${name}\\s*=`).test(line)) + 1;
}
