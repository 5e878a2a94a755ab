// One role of `npm run dev`: waits for what it needs, then runs it from source in watch mode, with development keys.
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ports, type Role, roles } from './dev-roles.ts';
import { freePort } from './free-port.ts';
import { readableLog } from './readable-log.ts';
import { runWatched } from './watched-program.ts';

const ASK_MS = 150;
const TELL_MS = 5_000;

async function run(name: string, role: Role): Promise<void> {
  if ((await freePort(role.port)) !== role.port) {
    console.error(`port ${role.port} for the ${name} is taken: stop what uses it, or set ${role.portVariable}`);
    process.exit(1);
  }
  if (role.needs) await answers(role.needs.url, role.needs.name);
  // Nothing else from the shell: exported keys and URLs belong to programs that are started by hand.
  const { PATH = '', HOME = '', LOG_LEVEL = 'info' } = process.env;
  const stopped = new AbortController();
  const stop = (): void => stopped.abort();
  process.on('SIGINT', stop).on('SIGTERM', stop);
  const folder = path(role.package);
  const before = role.before === undefined ? [] : ['--import', pathToFileURL(folder + role.before).href];
  const program = {
    command: ['--conditions=@avm402/source', ...before, `${folder}src/${role.program}`, ...role.arguments],
    environment: { PATH, HOME, LOG_LEVEL, ...role.environment },
    folders: packageFolders(folder).map((one) => `${one}src`),
    ...(name === 'facilitator' && { shownAs: readableLog }),
  };
  if (name === 'weather') void tellWhatToTry();
  await runWatched(program, stopped.signal);
  process.exit();
}

/** Says where to look and what to try, once everything answers. */
async function tellWhatToTry(): Promise<void> {
  const [shown, weather] = [ports.console, ports.weather].map((one) => `http://127.0.0.1:${one}`);
  await answers(`${shown}/`, 'the console');
  await answers(`${weather}/weather`, 'the weather');
  console.log(`
Ready. Every payment is shown here:  ${shown}
Buy the weather for a cent:          npx avm402 pay ${weather}/weather
Buy by the word, over a channel:     npx avm402 pay --channel ${weather}/forecast
Pay in a browser:                    ${weather}/weather
Sell something of your own:          docs/start.md`);
}

/** The folders of a package and of all workspace packages that it depends on. */
function packageFolders(folder: string): string[] {
  const { dependencies } = JSON.parse(readFileSync(`${folder}package.json`, 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const own = Object.keys(dependencies).filter((name) => name.startsWith('@avm402/'));
  const below = own.flatMap((name) => packageFolders(path(`../../../packages/${name.slice('@avm402/'.length)}/`)));
  return [...new Set([folder, ...below])];
}

/** Resolves when a service answers, however long that takes: a change of its sources may start it again. */
async function answers(url: string, service: string): Promise<void> {
  const reminder = setInterval(() => console.log(`waiting for ${service} at ${url} …`), TELL_MS);
  while (!(await fetch(url).catch(() => undefined))) await setTimeout(ASK_MS);
  clearInterval(reminder);
}

function path(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}

const name = process.argv[2] ?? '';
const role = Object.hasOwn(roles, name) ? roles[name] : undefined;
if (!role) {
  console.error(`usage: dev.ts ${Object.keys(roles).join(' | ')}`);
  process.exit(2);
}
await run(name, role);
