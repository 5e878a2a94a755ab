import { printable, type World } from '../../src/cli/world.ts';

/** A world of named files; what is printed is kept. */
export interface TestWorld extends World {
  readonly files: Map<string, Uint8Array>;
  readonly printed: string[];
  readonly errors: string[];
}

export function testWorld(files: Readonly<Record<string, string | Uint8Array>> = {}): TestWorld {
  const kept = new Map(Object.entries(files).map(([name, content]) => [name, Buffer.from(content as string)]));
  const printed: string[] = [];
  const errors: string[] = [];
  const read = (name: string): Promise<Uint8Array> => {
    const content = kept.get(name);
    return content === undefined ? Promise.reject(new Error('no such file')) : Promise.resolve(content);
  };
  return {
    files: kept,
    printed,
    errors,
    read,
    write: (name, bytes) => Promise.resolve(void kept.set(name, Buffer.from(bytes as string))),
    input: () => read('stdin'),
    print: (text) => void printed.push(printable(text)),
    printError: (text) => void errors.push(printable(text)),
  };
}
