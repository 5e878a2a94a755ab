import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { type RequestHandler, Router } from 'express';

/** Also of an installed package, which has the sources beside what is compiled. */
const ENTRIES = ['main.tsx', 'main.css'].map((name) =>
  fileURLToPath(new URL(`../../src/page/${name}`, import.meta.url)),
);

const DOCUMENT = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>avm402 console</title>
<link rel="stylesheet" href="/main.css">
<script type="module" src="/main.js"></script>
</head>
<body><noscript><p>The console needs JavaScript.</p></noscript></body>
</html>
`;

/**
 * The page with its script and style, bundled when the console starts: in some 50 ms, and the same way from source and
 * from an installed package.
 */
export async function pageRoutes(): Promise<RequestHandler> {
  const { outputFiles } = await build({
    entryPoints: ENTRIES,
    outdir: '/',
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2023',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    write: false,
  });
  const file = (name: string): string => outputFiles.find(({ path }) => path.endsWith(name))?.text ?? '';
  const [script, style] = [file('main.js'), file('main.css')];
  const router = Router();
  router.get('/', (_request, response) => void response.type('html').send(DOCUMENT));
  router.get('/main.js', (_request, response) => void response.type('js').send(script));
  router.get('/main.css', (_request, response) => void response.type('css').send(style));
  return router;
}
