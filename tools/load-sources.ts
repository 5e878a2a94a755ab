// Loads every source of the packages whose programs tests start. It ends by itself, so that Node keeps what it compiled.
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const packages = join(
  import.meta.dirname,
  '../packages/{core,algorand,avm,teal,devnode,facilitator,server,client,cli}',
);
for (const file of globSync(`${packages}/src/**/*.ts`, { exclude: ['**/cli.ts'] })) {
  await import(pathToFileURL(file).href);
}
