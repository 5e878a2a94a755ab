// Replays recordings by hand and prints how many answers differ, per file:
//   node --conditions=@avm402/source packages/devnode/test/replay/run.ts [set/scenario…] [--show N]
import { parseArgs } from 'node:util';
import { readScenario, RECORDING_SETS, scenarioNames } from './recording.ts';
import { replay } from './replay.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { show: { type: 'string', default: '0' } },
});
let compared = 0;
let mismatched = 0;
const all = RECORDING_SETS.flatMap((set) => scenarioNames(set).map((name) => `${set}/${name}`));
for (const name of positionals.length > 0 ? positionals : all) {
  const set = RECORDING_SETS.find((each) => name.startsWith(`${each}/`));
  if (set === undefined) throw new Error(`${name}: a scenario is named by its set, like payments/tx-pay`);
  const result = await replay(readScenario(set, name.slice(set.length + 1)));
  compared += result.compared;
  mismatched += result.mismatched.length;
  console.log(`${name}: ${result.mismatched.length} of ${result.compared} answers differ`);
  for (const { text } of result.mismatched.slice(0, Number(values.show))) console.log(`\n${text}\n`);
}
console.log(`${mismatched} of ${compared} answers differ`);
process.exitCode = mismatched === 0 ? 0 : 1;
