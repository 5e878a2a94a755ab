import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeApiReference } from './api-reference.ts';
import { commandsReference } from './commands-reference.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../../', import.meta.url));

/** The folder where the pages are gathered. */
export const pages = join(here, 'pages');

/** Files that pages link to and that are not pages themselves: they are served unchanged. */
export const files: readonly string[] = [
  '.env.example',
  'LICENSE',
  'deploy',
  'packages/avm/src/batch-settlement/channel.teal',
  'packages/avm/src/upto/upto.teal',
  'packages/avm/src/mandate/mandate.teal',
];

/** Gathers the repository's pages, each in its folder so that links still work, and makes the reference from code. */
export async function gatherPages(): Promise<void> {
  rmSync(pages, { recursive: true, force: true });
  for (const page of globSync(['*.md', 'docs/**/*.{md,png}', 'bench/*.md', 'packages/*/README.md'], { cwd: root }))
    copy(page, page);
  for (const file of files) copy(file, join('public', file));
  copy('apps/site/index.md', 'index.md');
  await writeApiReference(join(pages, 'docs/reference/api'));
  writeFileSync(join(pages, 'docs/reference/commands.md'), commandsReference());
  writeFileSync(join(pages, 'docs/reference/environment.md'), environmentReference());
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(join(pages, to)), { recursive: true });
  cpSync(join(root, from), join(pages, to), { recursive: true });
}

function environmentReference(): string {
  const variables = readFileSync(join(root, '.env.example'), 'utf8');
  return `# Environment\n\nWhat the programs read, as a file to fill in.\n\n\`\`\`sh\n${variables}\`\`\`\n`;
}
