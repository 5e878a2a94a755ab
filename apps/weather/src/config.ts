import { parsePayTo } from '@avm402/avm/exact/server';

/** What the environment says. */
export interface Config {
  /** Who is paid. */
  readonly address: string;
  readonly facilitatorUrl: string;
  /** CAIP-2; absent: the one that the facilitator serves. */
  readonly network?: string;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
}

/** The environment, or what the facilitator says, does not allow to start. */
export class ConfigurationError extends Error {}

const DEFAULT_PORT = 4021;

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the environment. Throws a ConfigurationError that names everything that is missing or malformed, at once. */
export function parseConfig(environment: Environment): Config {
  const value = (name: string): string => environment[name]?.trim() ?? '';
  const [address, facilitatorUrl, network] = [value('AVM_ADDRESS'), value('FACILITATOR_URL'), value('AVM_NETWORK')];
  const port = value('PORT') === '' ? DEFAULT_PORT : Number(value('PORT'));
  const problems = [
    problemOfAddress(address),
    problemOfUrl(facilitatorUrl),
    network === '' || /^algorand:\S{32,44}$/.test(network) ? undefined : 'AVM_NETWORK must be algorand:<genesis hash>',
    Number.isInteger(port) && port >= 0 && port <= 65_535 ? undefined : 'PORT must be a port number, 0 to 65535',
  ].filter((problem) => problem !== undefined);
  if (problems.length > 0) throw new ConfigurationError(problems.join('\n  '));
  return { address, facilitatorUrl, host: value('HOST') || '127.0.0.1', port, ...(network === '' ? {} : { network }) };
}

function problemOfAddress(address: string): string | undefined {
  if (address === '') return 'AVM_ADDRESS is missing: the Algorand address that is paid';
  try {
    parsePayTo(address);
    return undefined;
  } catch {
    return 'AVM_ADDRESS must be an Algorand address: 58 characters, with a right checksum';
  }
}

function problemOfUrl(url: string): string | undefined {
  if (url === '') return 'FACILITATOR_URL is missing: the URL of a facilitator';
  return /^https?:\/\//.test(url) && URL.canParse(url) ? undefined : 'FACILITATOR_URL must be an http or https URL';
}
