import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sections } from './.vitepress/sidebar.ts';

/** The list of pages for language models (llmstxt.org), each with its first paragraph. `folder` contains the pages. */
export function llmsText(folder: string): string {
  const parts = sections.map(({ text, items }) => {
    const lines = items.map(({ text: title, link }) => {
      const summary = summaryOf(join(folder, fileOf(link)));
      return `- [${title}](${link})${summary === '' ? '' : `: ${summary}`}`;
    });
    return `## ${text}\n\n${lines.join('\n')}`;
  });
  const about =
    '> x402 payments on Algorand: a service charges for each HTTP request, a client pays on chain, a facilitator settles.';
  return ['# avm402', about, ...parts].join('\n\n') + '\n';
}

function fileOf(link: string): string {
  return link.endsWith('/') ? `${link}README.md` : `${link}.md`;
}

/** The page's first paragraph in one line, without markup. */
function summaryOf(file: string): string {
  if (!existsSync(file)) throw new Error(`no page ${file}`);
  const paragraphs = readFileSync(file, 'utf8').split(/\n{2,}/);
  const first = paragraphs.find((text) => /^(?:\p{L}|`[^`]|\[)/u.test(text)) ?? '';
  return first
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
