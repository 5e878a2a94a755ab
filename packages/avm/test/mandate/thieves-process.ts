import { chainOf, startNode } from '../batch-settlement/stage.ts';
import { keepAlive } from './keep-alive.ts';
import { attackMandates } from './thieves.ts';

// A process that attacks mandates on a node of its own: its arguments are how many sequences, and their seed.
const [sequences, seed] = process.argv.slice(2).map(Number);
// Most attacks are refused, and nobody reads where.
Error.stackTraceLimit = 0;
const nodes = await startNode({ exchange: keepAlive(), strict: true });
const thefts = await attackMandates(chainOf(nodes), { sequences: sequences ?? 0, seed: seed ?? 0 });
console.log(JSON.stringify({ ...thefts, stolen: thefts.stolen.toString() }));
await nodes.node.stop();
process.exit();
