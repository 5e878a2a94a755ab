import type { MarkdownRenderer } from 'vitepress';

/** VitePress makes a renderer for its search, too. */
const coloured = new Map<string, string>();

/** Colours each block of code once, though every page is rendered twice: once to be read, and once to be searched. */
export function colouredOnce({ options }: MarkdownRenderer): void {
  const { highlight } = options;
  options.highlight = (...block) => {
    const key = JSON.stringify(block);
    const known = coloured.get(key) ?? highlight?.(...block) ?? '';
    coloured.set(key, known);
    return known;
  };
}
