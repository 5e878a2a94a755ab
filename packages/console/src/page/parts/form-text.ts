/** The text of a form's field, without spaces around it; the forms have no files. */
export function formText(form: FormData, field: string): string {
  const value = form.get(field);
  return typeof value === 'string' ? value.trim() : '';
}
