import type { Environment } from './environment.ts';

/** What a command sees of the world around it. */
export interface Terminal {
  readonly environment: Environment;
  /** One line, or more, on stdout. */
  print(text: string): void;
  /** The same on stderr. */
  error(text: string): void;
}
