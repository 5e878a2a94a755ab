/** How a stock program is put together: as its README shows, or with its best settings. */
export type Wiring = 'published' | 'best';

export function wiringFromEnvironment(): Wiring {
  const { WIRING } = process.env;
  if (WIRING === 'published' || WIRING === 'best') return WIRING;
  throw new Error('WIRING must be published or best');
}

/** A variable that the harness sets. */
export function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is missing`);
  return value;
}
