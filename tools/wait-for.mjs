// Waits until a program answers over HTTP: `node tools/wait-for.mjs URL "what is waited for" [maximum seconds]`.
const [url, name = url, maximumSeconds = '120'] = process.argv.slice(2);
if (!url) {
  console.error('usage: node tools/wait-for.mjs URL "what is waited for" [maximum seconds]');
  process.exit(2);
}
const deadline = Date.now() + Number(maximumSeconds) * 1000;
let nextLine = Date.now() + 1000;

async function answers() {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(2000) })).ok;
  } catch {
    return false;
  }
}

while (!(await answers())) {
  const now = Date.now();
  if (now > deadline) {
    console.error(`${name} did not answer at ${url} within ${maximumSeconds} s`);
    process.exit(1);
  }
  if (now >= nextLine) {
    console.log(`waiting for ${name} at ${url} …`);
    nextLine = now + 5000;
  }
  await new Promise((resolve) => setTimeout(resolve, 150));
}
