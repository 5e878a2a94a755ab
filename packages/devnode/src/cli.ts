import { banner } from './banner.ts';
import { helpText, parseCommand, type Command } from './cli-options.ts';
import { DevnodeError } from './errors.ts';
import { packageVersion } from './version.ts';

/** The program: runs until SIGTERM or SIGINT and exits 0; 1 if it can't start, 2 if called wrongly. */
async function main(args: readonly string[]): Promise<void> {
  const [first, ...rest] = args;
  if (first === 'export') return runExport(rest);
  const command = parseCommand(args);
  if (command.show === 'help') return console.log(helpText());
  if (command.show === 'version') return console.log(packageVersion());
  await run(command);
}

async function runExport(args: readonly string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) return console.log(helpText());
  const { exportCommand } = await import('./cli-export.ts');
  console.log((await exportCommand(args)).trimEnd());
}

async function run({ options, quiet }: Command): Promise<void> {
  const { startDevnode } = await import('./start-devnode.ts');
  const node = await startDevnode(options);
  if (!quiet) console.log(await banner(node, options));
  if (node.ignoredConfig.length > 0) {
    console.error(`avm402-devnode: configuration keys without effect on this node: ${node.ignoredConfig.join(', ')}`);
  }
  const stop = (): void => {
    void node.stop().then(() => process.exit(0), fail);
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  // Printed last, because a reader of this line may stop the program at once.
  console.log(`avm402-devnode listening on ${node.url}`);
}

function fail(error: unknown): never {
  const known = error instanceof DevnodeError;
  console.error(`avm402-devnode: ${known ? error.message : String(error instanceof Error ? error.stack : error)}`);
  process.exit(known && error.code === 'invalid_options' ? 2 : 1);
}

await main(process.argv.slice(2)).catch(fail);
