import { fileURLToPath } from 'node:url';
import { startProgram, type Program } from '@avm402/stack/program';
import { merchant } from './node.ts';
import { profilingFlags } from './profile.ts';
import type { Wiring } from './wiring.ts';

function peer(file: string): string {
  return fileURLToPath(new URL(`../peers/${file}`, import.meta.url));
}

/** An Express application that sells the weather with our middleware. */
export function startOurServer(facilitatorUrl: string): Promise<Program> {
  return startServer('our-server', { FACILITATOR_URL: facilitatorUrl });
}

/** The same application with the stock middleware. */
export function startStockServer(facilitatorUrl: string, wiring: Wiring): Promise<Program> {
  return startServer('stock-server', { FACILITATOR_URL: facilitatorUrl, WIRING: wiring });
}

/** The same application that gives everything away. */
export function startBareServer(): Promise<Program> {
  return startServer('bare-server', {});
}

/** One of the programs that exchange what a paid request exchanges, and do nothing else. */
export function startBareExchanges(role: 'node' | 'facilitator' | 'server', upstream: string): Promise<Program> {
  return startProgram({
    name: `bare-${role}`,
    command: [...profilingFlags(`bare-${role}`), peer('bare-exchanges.ts')],
    environment: { NODE_ENV: 'production', ROLE: role, UPSTREAM: upstream },
  });
}

function startServer(name: string, environment: Readonly<Record<string, string>>): Promise<Program> {
  return startProgram({
    name,
    command: [...profilingFlags(name), peer(`${name}.ts`)],
    environment: { NODE_ENV: 'production', AVM_ADDRESS: merchant.address, ...environment },
  });
}
