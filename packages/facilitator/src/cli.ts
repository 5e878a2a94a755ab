import { parseArgs } from 'node:util';
import { isAlgorandError } from '@avm402/algorand/errors';
import { isX402Error, X402Error } from '@avm402/core/errors';
import { backupCommand } from './operate/backup-command.ts';
import { attempt, checkConfig } from './operate/check.ts';
import { type FacilitatorConfig, parseConfig } from './operate/config.ts';
import { type ConfigFile, readConfigFile } from './operate/config-file.ts';
import { helpText } from './operate/help.ts';
import { createLog } from './log/log.ts';
import { startFacilitator } from './operate/start-facilitator.ts';
import { reasonOf } from './reason.ts';
import { version } from './version.ts';
import type { Variables } from './operate/variables.ts';

/** The program: runs until SIGTERM or SIGINT. Exit codes: 0; 1 if it can't start; 2 for wrong usage. */
async function main(): Promise<void> {
  const [command, ...parameters] = process.argv.slice(2);
  if (parameters.includes('--help') || parameters.includes('-h')) return console.log(helpText());
  const file = configFile();
  const variables = file?.variables ?? process.env;
  if (command === 'settlements') {
    const { settlementsCommand } = await import('./operate/settlements-command.ts');
    return settlementsCommand(parameters, variables);
  }
  if (command === 'backup') return backupCommand(parameters, variables);
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'v' },
      check: { type: 'boolean' },
      config: { type: 'string' },
    },
  });
  if (values.help) return console.log(helpText());
  if (values.version) return console.log(version());
  if (values.check) return check(variables, file);
  const config = configured(variables, file);
  const log = createLog({ level: config.logLevel });
  const running = await startFacilitator(config, log);
  const stop = (signal: string): void => {
    log.info({ signal }, 'shutting down');
    void running.stop().then(() => process.exit(0), fail);
  };
  process.once('SIGTERM', stop).once('SIGINT', stop);
  if (config.access?.callers === undefined) process.once('SIGHUP', stop);
  else process.on('SIGHUP', () => running.reloadCallers());
  // Printed last: a reader of this line may stop the program at once.
  console.log(`avm402-facilitator listening on ${running.url}`);
}

/** The file named by `--config`, an option of every command. */
function configFile(): ConfigFile | undefined {
  const options = { config: { type: 'string' } } as const;
  const { config } = parseArgs({ strict: false, allowPositionals: true, options }).values;
  if (typeof config !== 'string') return undefined;
  const file = readConfigFile(config, process.env);
  // OpenTelemetry's exporter reads its settings from the environment itself.
  Object.assign(process.env, file.variables);
  return file;
}

/** @throws X402Error `environment_invalid`, which names every problem and its place */
function configured(variables: Variables, file: ConfigFile | undefined): FacilitatorConfig {
  const problems = [...(file?.problems ?? [])];
  const config = attempt(() => parseConfig(variables), problems);
  if (config !== undefined && problems.length === 0) return config;
  throw new X402Error('environment_invalid', { message: problems.map(file?.located ?? String).join('\n') });
}

/** Exits 0 if the program would serve with this configuration, 1 if not. */
async function check(variables: Variables, file: ConfigFile | undefined): Promise<void> {
  const { problems: faults, found } = await checkConfig(variables);
  const problems = [...(file?.problems ?? []), ...faults].map(file?.located ?? String);
  for (const line of found) console.log(`ok       ${line}`);
  for (const line of problems) console.error(`problem  ${line}`);
  // Connections kept open would keep the program running.
  process.exit(problems.length === 0 ? 0 : 1);
}

function fail(error: unknown): never {
  console.error(`avm402-facilitator: ${explain(error)}`);
  process.exit(1);
}

function explain(error: unknown): string {
  if (isX402Error(error, 'environment_invalid')) return `wrong environment\n${error.message}`;
  if (isX402Error(error)) return `${error.message}. ${error.remedy}`;
  if (isAlgorandError(error)) return error.message;
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')
    return `${error.message}. Stop the program that uses it, or choose another port with PORT.`;
  return reasonOf(error);
}

try {
  await main();
} catch (error) {
  if (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')) {
    console.error(`avm402-facilitator: ${error.message}; see --help`);
    process.exit(2);
  }
  fail(error);
}
