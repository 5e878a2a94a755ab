import type { MarkdownRenderer } from 'vitepress';

/** Writes into each cell of a table the name of its column, which a phone shows beside it. */
export function tables(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('columns', ({ tokens }) => {
    let columns: string[] = [];
    let column = 0;
    for (const [index, token] of tokens.entries()) {
      if (token.type === 'table_open') columns = [];
      else if (token.type === 'tr_open') column = 0;
      else if (token.type === 'th_open') columns.push((tokens[index + 1]?.content ?? '').replaceAll('`', ''));
      else if (token.type === 'td_open') token.attrSet('data-column', columns[column++] ?? '');
    }
  });
}
