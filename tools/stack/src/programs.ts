import { fileURLToPath } from 'node:url';
import { DEVELOPMENT_ALGOD } from '@avm402/algorand/networks';
import { developmentAccounts } from '@avm402/devnode';
import { startProgram, type Program } from './program.ts';

/** The API token of every node here: AlgoKit LocalNet's. */
export const NODE_TOKEN = DEVELOPMENT_ALGOD.token;

const inRepository = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** The programs' files, as an installation has them. */
export const programFiles = {
  node: inRepository('packages/devnode/bin/avm402-devnode.js'),
  facilitator: inRepository('packages/facilitator/bin/avm402-facilitator.js'),
  weather: inRepository('apps/weather/dist/main.js'),
  console: inRepository('packages/console/bin/avm402-console.js'),
  client: inRepository('packages/cli/bin/avm402.js'),
} as const;

/** Starts the embedded node, on any free port unless the arguments name one. */
export function startNode(...args: string[]): Promise<Program> {
  const command = [programFiles.node, '--port', '0', '--token', NODE_TOKEN, ...args];
  return startProgram({ name: 'avm402-devnode', command, environment: {} });
}

/** The keys of the development facilitator: its account's, and for `upto` that of one that neither buys nor sells. */
export function sponsorKeys(): string {
  const { facilitator, usdcIssuer } = developmentAccounts();
  return `${facilitator.privateKey},${usdcIssuer.privateKey}`;
}

/** The settings with which a facilitator sponsors payments from its development account; all others are up to you. */
export function facilitatorEnvironment(nodeUrl: string): Readonly<Record<string, string>> {
  return { ALGOD_URL: nodeUrl, ALGOD_TOKEN: NODE_TOKEN, AVM_PRIVATE_KEY: sponsorKeys(), PORT: '0' };
}

/** Starts a facilitator for these nodes (URLs separated by commas); the environment names its store. */
export function startFacilitator(nodeUrl: string, environment: Readonly<Record<string, string>>): Promise<Program> {
  return startProgram({
    name: 'avm402-facilitator',
    command: [programFiles.facilitator],
    environment: { ...facilitatorEnvironment(nodeUrl), ...environment },
  });
}

/** Starts the weather server, which is paid into the merchant's development account. */
export function startWeather(facilitatorUrl: string, environment: Readonly<Record<string, string>>): Promise<Program> {
  const { merchant } = developmentAccounts();
  return startProgram({
    name: 'weather',
    command: [programFiles.weather],
    environment: { AVM_ADDRESS: merchant.address, FACILITATOR_URL: facilitatorUrl, PORT: '0', ...environment },
  });
}

/** Starts the console for these roles, with its page. */
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
