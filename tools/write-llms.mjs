/**
 * Writes llms.txt and llms-full.txt into a package that is packed: all that a coding agent needs which has only the
 * tarball. Run by `prepack`, in the package's folder.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
/** The pages of llms-full.txt after the first one. */
const PAGES = ['start', 'server', 'frameworks', 'client', 'mandates', 'mcp', 'devnode/x402', 'errors'];

const skill = withoutLinks(readFileSync(`${root}docs/SKILL.md`, 'utf8').replace(/^---\n.*?\n---\n+/s, ''));
const pages = PAGES.map((page) => withoutLinks(readFileSync(`${root}docs/${page}.md`, 'utf8')));
writeFileSync('llms.txt', `${skill}\nllms-full.txt beside this file has the pages ${PAGES.join(', ')}.\n`);
writeFileSync('llms-full.txt', [skill, ...pages].join('\n---\n\n'));

/** Links to other pages lead nowhere in a tarball; their texts stay. */
function withoutLinks(text) {
  return text.replaceAll(/\[([^\]]+)\]\((?!https?:)[^)]+\)/g, '$1');
}
