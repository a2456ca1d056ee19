// Making elements. Children are nodes or strings; strings become text, never markup.

export function make(name, attributes = {}, ...children) {
  const made = document.createElement(name)
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value !== null) made.setAttribute(attribute, value)
  }
  made.append(...children)
  return made
}
