// Runs the tests of each package that ask something of Node on the oldest one that it promises, or all tests of those that
// promise the requested version. The last line has the counts.
import { OTHER_NODES, runTests, suitesOf, testsThatAskNode } from './suite.ts';

const asked = process.argv.slice(2).map(Number);
const versions = OTHER_NODES.filter((version) => asked.length === 0 || asked.includes(version));
if (versions.length < asked.length) throw new Error(`usage: npm run soak:nodes -- [${OTHER_NODES.join(' | ')}]`);

let [passed, failed] = [0, 0];
for (const version of versions) {
  console.log(`\n── Node ${version} ──`);
  const tests = asked.length === 0 ? testsThatAskNode(version) : suitesOf(version);
  const outcome = runTests(version, tests);
  for (const test of outcome.failed) console.log(`Node ${version}: failed: ${test}`);
  for (const test of outcome.needless) console.log(`Node ${version}: passes, and is no exception any more: ${test}`);
  passed += outcome.passed;
  failed += outcome.failed.length + outcome.needless.length;
}
console.log(`nodes: ${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
