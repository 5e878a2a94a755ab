import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseEnv } from 'node:util';
import { X402Error } from '@avm402/core/errors';
import { environment as settings } from './settings.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** Settings from a file and the environment. */
export interface ConfigFile {
  /** Both together; the environment overrides the file. */
  readonly variables: Variables;
  /** A line for each unknown name in the file: a mistyped limit would not limit anything. */
  readonly problems: readonly string[];
  /** The problem with the place where the setting that it begins with was made. */
  readonly located: (problem: string) => string;
}

/** What others read from the same environment. */
const OF_OTHERS = /^(OTEL|NODE)_/;

/**
 * Reads settings from a file in the form of `.env`, with the names that they have in the environment.
 * @throws X402Error `environment_invalid` if it can't be read
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
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new X402Error('environment_invalid', { message: `--config: ${why}`, cause });
  }
}

/** The line of a setting, the first being 1; where it is made twice, the last counts. */
function lineOf(name: string, text: string): number {
  const lines = text.split('\n');
  return lines.findLastIndex((line) => new RegExp(`^\\s*(?:export\\s+)?${name}\\s*=`).test(line)) + 1;
}
