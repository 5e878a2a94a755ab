// The roles of `npm run dev`, with development keys.
import { developmentAccounts } from '@avm402/devnode';
import { NODE_TOKEN, sponsorKeys } from './programs.ts';
import { CONSOLE_PORT, FACILITATOR_PORT, NODE_PORT, WEATHER_PORT } from './stack.ts';

/** A program of the stack, and what it needs to run. */
export interface Role {
  /** Folder of the package. */
  readonly package: string;
  /** The program's source file, in `src`. */
  readonly program: string;
  /** Module of the package that is loaded before each start. */
  readonly before?: string;
  /** The variable that changes its port in `npm run dev`. */
  readonly portVariable: string;
  readonly port: number;
  /** The service that must answer first. */
  readonly needs?: { readonly name: string; readonly url: string };
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

const accounts = developmentAccounts();
const port = (variable: string, standard: number): number => Number(process.env[variable] ?? standard);

/** Their ports, which variables change. */
export const ports = {
  node: port('NODE_PORT', NODE_PORT),
  facilitator: port('FACILITATOR_PORT', FACILITATOR_PORT),
  weather: port('WEATHER_PORT', WEATHER_PORT),
  console: port('CONSOLE_PORT', CONSOLE_PORT),
};
const nodeUrl = `http://127.0.0.1:${ports.node}`;
const facilitatorUrl = `http://127.0.0.1:${ports.facilitator}`;

/** These settings make a role report its payments to the console. */
const telling = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${ports.console}`, TRACE_DETAILS: 'true' };

/** The roles by the names that `npm run dev` gives them. */
export const roles: Readonly<Record<string, Role>> = {
  node: {
    package: '../../../packages/devnode/',
    program: 'cli.ts',
    portVariable: 'NODE_PORT',
    port: ports.node,
    arguments: ['--port', String(ports.node)],
    environment: {},
  },
  facilitator: {
    package: '../../../packages/facilitator/',
    program: 'cli.ts',
    portVariable: 'FACILITATOR_PORT',
    port: ports.facilitator,
    needs: { name: 'the node', url: `${nodeUrl}/health` },
    arguments: [],
    environment: {
      ALGOD_URL: nodeUrl,
      ALGOD_TOKEN: NODE_TOKEN,
      SPONSOR_PRIVATE_KEY: sponsorKeys(),
      SETTLEMENT_STORE: ':memory:',
      OPEN_LEDGER: 'true',
      ...telling,
      PORT: String(ports.facilitator),
    },
  },
  weather: {
    package: '../../../apps/weather/',
    program: 'main.ts',
    portVariable: 'WEATHER_PORT',
    port: ports.weather,
    needs: { name: 'the facilitator', url: `${facilitatorUrl}/health` },
    arguments: [],
    environment: {
      AVM_ADDRESS: accounts.merchant.address,
      FACILITATOR_URL: facilitatorUrl,
      PORT: String(ports.weather),
      ...telling,
    },
  },
  console: {
    package: '../../../packages/console/',
    program: 'cli.ts',
    before: 'bundle.mjs',
    portVariable: 'CONSOLE_PORT',
    port: ports.console,
    arguments: [],
    environment: {
      ALGOD_URL: nodeUrl,
      ALGOD_TOKEN: NODE_TOKEN,
      FACILITATOR_URL: facilitatorUrl,
      RESOURCE_URL: `http://127.0.0.1:${ports.weather}/weather`,
      PORT: String(ports.console),
    },
  },
};
