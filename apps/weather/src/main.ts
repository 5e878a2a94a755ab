const OLDEST_NODE = 20;

if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE) {
  console.error(`weather needs Node ${OLDEST_NODE} or newer; this is ${process.version}`);
  process.exit(1);
}
await import('./weather.ts');
