import { fileURLToPath } from 'node:url';
import { developmentAccounts } from '@avm402/devnode';
import { startProgram, type Program } from './program.ts';

/** AlgoKit LocalNet's API token. */
export const NODE_TOKEN = 'a'.repeat(64);

const inRepository = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** The files of the programs, as they are installed. */
export const programFiles = {
  node: inRepository('packages/devnode/bin/avm402-devnode.js'),
  facilitator: inRepository('packages/facilitator/bin/avm402-facilitator.js'),
  weather: inRepository('apps/weather/dist/main.js'),
  console: inRepository('packages/console/bin/avm402-console.js'),
  client: inRepository('packages/cli/bin/avm402.js'),
} as const;

/** The embedded node, on any port unless the arguments say otherwise. */
export function startNode(...args: string[]): Promise<Program> {
  const command = [programFiles.node, '--port', '0', '--token', NODE_TOKEN, ...args];
  return startProgram({ name: 'avm402-devnode', command, environment: {} });
}

/** The keys of the development facilitator: its account, and one that neither buys nor sells, for the scheme `upto`. */
export function sponsorKeys(): string {
  const { facilitator, usdcIssuer } = developmentAccounts();
  return `${facilitator.privateKey},${usdcIssuer.privateKey}`;
}

/** What a facilitator needs to sponsor payments from the development account of that name; the rest is yours. */
export function facilitatorEnvironment(nodeUrl: string): Readonly<Record<string, string>> {
  return { ALGOD_URL: nodeUrl, ALGOD_TOKEN: NODE_TOKEN, AVM_PRIVATE_KEY: sponsorKeys(), PORT: '0' };
}

/** A facilitator of these nodes (URLs separated by commas); the environment says which store it uses. */
export function startFacilitator(nodeUrl: string, environment: Readonly<Record<string, string>>): Promise<Program> {
  return startProgram({
    name: 'avm402-facilitator',
    command: [programFiles.facilitator],
    environment: { ...facilitatorEnvironment(nodeUrl), ...environment },
  });
}

/** The weather server, paid into the development account of the merchant. */
export function startWeather(facilitatorUrl: string, environment: Readonly<Record<string, string>>): Promise<Program> {
  const { merchant } = developmentAccounts();
  return startProgram({
    name: 'weather',
    command: [programFiles.weather],
    environment: { AVM_ADDRESS: merchant.address, FACILITATOR_URL: facilitatorUrl, PORT: '0', ...environment },
  });
}

/** The console of these roles, with its page. */
export function startConsole(
  roles: { readonly nodeUrl: string; readonly facilitatorUrl: string; readonly resourceUrl: string },
  environment: Readonly<Record<string, string>> = {},
): Promise<Program> {
  return startProgram({
    name: 'avm402-console',
    command: [programFiles.console],
    environment: {
      ALGOD_URL: roles.nodeUrl,
      ALGOD_TOKEN: NODE_TOKEN,
      FACILITATOR_URL: roles.facilitatorUrl,
      RESOURCE_URL: roles.resourceUrl,
      PORT: '0',
      ...environment,
    },
  });
}
