import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly version: string;
}

export interface Registry extends Disposable {
  readonly url: string;
}

/** A registry of npm that has the tarballs of a folder as if they were published; for all else it sends npm to `others`. */
export async function serveTarballs(folder: string, others: string): Promise<Registry> {
  const packages = new Map(
    readdirSync(folder).map((file) => [manifestIn(join(folder, file)).name, join(folder, file)]),
  );
  const server = createServer(({ url = '', headers: { host } }, response) => {
    const asked = decodeURIComponent(url.slice(1));
    const tarball = packages.get(asked);
    if (asked.startsWith('-/')) response.end(readFileSync(join(folder, basename(asked))));
    else if (tarball === undefined) response.writeHead(302, { location: new URL(url, others).href }).end();
    else response.setHeader('Content-Type', 'application/json').end(description(tarball, `http://${host}/-/`));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { url, [Symbol.dispose]: () => void server.close() };
}

/** A registry's answer to npm about a package. */
function description(tarball: string, base: string): string {
  const manifest = manifestIn(tarball);
  const integrity = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
  const published = { ...manifest, dist: { tarball: base + basename(tarball), integrity } };
  const { name, version } = manifest;
  return JSON.stringify({ name, 'dist-tags': { latest: version }, versions: { [version]: published } });
}

function manifestIn(tarball: string): Manifest {
  return JSON.parse(execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], { encoding: 'utf8' }));
}
