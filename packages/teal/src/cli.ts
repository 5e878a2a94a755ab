import { main } from './cli/main.ts';
import { processWorld } from './cli/world.ts';

process.exitCode = await main(process.argv.slice(2), processWorld());
