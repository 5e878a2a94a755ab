import { readFile } from 'node:fs/promises';
import { type RequestHandler, Router } from 'express';
import { PAGE_FILES } from '../page-files.ts';

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

/** The page with its script and style. */
export async function pageRoutes(): Promise<RequestHandler> {
  const [script, style] = await Promise.all(['main.js', 'main.css'].map((name) => readFile(new URL(name, PAGE_FILES))));
  const router = Router();
  router.get('/', (_request, response) => void response.type('html').send(DOCUMENT));
  router.get('/main.js', (_request, response) => void response.type('js').send(script));
  router.get('/main.css', (_request, response) => void response.type('css').send(style));
  return router;
}
