// Attributes and custom properties of the hosted service's elements, and the effect of each in Lectern.
// old-markup.test.ts compares both with the published package. manual/existing-widget.md has a table of them.

/**
 * `to`: an attribute of Lectern's elements. `text`: a text of web/strings/. `hide`: a part that is hidden.
 * `own`: handled by old-markup.ts. `accepts`: other values are refused.
 */
export type Effect =
  | { to: string; accepts?: (value: string) => boolean }
  | { text: string }
  | { hide: string }
  | { own: string }
  | 'none'
  | 'refused'

const none = 'none'
const refused = 'refused'

export const oldAttributes: Record<string, Effect> = {
  'ai-icon': none,
  'ai-result-fragment': { text: 'search.ask' },
  'api-key': { to: 'api-key', accepts: (value) => value.startsWith('lec_') },
  'api-url': { to: 'api-url', accepts: (value) => !/^https?:\/\/([^/]+\.)?biel\.ai(\/|$)/.test(value) },
  'assistant-label': none,
  'biel-id': { own: 'events' },
  'button-position': { own: 'position' },
  'button-style': { own: 'style' },
  'clean-titles': none,
  'close-button-text': { text: 'search.close' },
  'collapse-button-text': none,
  'connect-button-text': { text: 'ask.editor' },
  'custom-font': { own: 'font' },
  'disable-input': { hide: 'composer' },
  email: { to: 'email' },
  'embedded-mode': { own: 'panel' },
  'error-message-4-0-3': { text: 'failures.private' },
  'error-message-4-0-4': { text: 'failures.unknown' },
  'error-message-default': { text: 'failures.server' },
  'expand-button-text': none,
  'expand-modal': none,
  'fetch-data': none,
  'footer-text': { to: 'disclaimer' },
  'header-title': { to: 'heading' },
  'hide-ask-ai-button': { hide: 'ask' },
  'hide-avatars': none,
  'hide-close-button': refused,
  'hide-connect-button': { hide: 'mcp' },
  'hide-ctrl-k': { hide: 'key' },
  'hide-descriptions': { hide: 'fragments' },
  'hide-expand-button': none,
  'hide-feedback': { hide: 'feedback' },
  'hide-filters': { hide: 'filters' },
  'hide-icon': { hide: 'icon' },
  'hide-navigation-buttons': { hide: 'keys' },
  'hide-refresh-button': { hide: 'restart' },
  'hide-settings-button': { hide: 'think' },
  'hide-sources': { hide: 'sources' },
  'hide-tooltips': none,
  'input-placeholder-text': { text: 'ask.label' },
  'keep-conversation': { own: 'privacy' },
  'mcp-claude-copied-description': none,
  'mcp-claude-description': none,
  'mcp-claude-text': none,
  'mcp-copied-text': none,
  'mcp-copilot-description': none,
  'mcp-copilot-text': none,
  'mcp-cursor-description': none,
  'mcp-cursor-text': none,
  'mcp-server-url': refused,
  'mcp-url-copied-description': none,
  'mcp-url-description': none,
  'mcp-url-text': none,
  metadata: { to: 'metadata' },
  'modal-position': { own: 'style' },
  project: { to: 'project' },
  'refresh-button-text': { text: 'ask.startAnew' },
  'search-placeholder': { to: 'placeholder' },
  'send-button-text': { text: 'ask.send' },
  'settings-button-text': none,
  'show-modal': { to: 'opened' },
  'show-search-modal': { to: 'opened' },
  'show-terms-modal': { own: 'terms' },
  'sources-text': { text: 'answer.sources' },
  stacked: none,
  'suggested-questions': { own: 'suggestions' },
  'suggested-questions-title': { text: 'search.suggestions' },
  'terms-checkbox-text': { own: 'terms' },
  'terms-description': { own: 'terms' },
  'terms-title': { own: 'terms' },
  'think-mode-auto-description': none,
  'think-mode-auto-text': none,
  'think-mode-enabled': { to: 'think' },
  'think-mode-fast-description': none,
  'think-mode-fast-text': none,
  'think-mode-think-description': none,
  'think-mode-think-text': { text: 'ask.think' },
  'welcome-message': { to: 'greeting' },
}

/** A custom property of Lectern, or a part of its elements and a CSS property. */
type Target = `--lectern-${string}` | `${'button' | 'dialog' | 'send' | 'mark' | 'title'} ${string}`

/**
 * The most used custom properties of the published style sheets that have a counterpart: the target, then the values in
 * biel-search.css. Sites load that file with the script, so these values are not the site's choice.
 */
export const oldProperties: Record<string, [Target, ...defaults: string[]]> = {
  '--biel-font-family': ['--lectern-font', '"Inter", "Tahoma", "sans-serif"'],
  '--biel-text-color': ['--lectern-text', '#5f6368', '#b0b8c4'],
  '--biel-primary-color': ['--lectern-accent', '#0070F4'],
  '--biel-message-link-color': ['--lectern-accent', '#3a99ff'],
  '--biel-bot-content-bg-color': ['--lectern-surface', '#fff', '#191919'],
  '--biel-bot-content-text-color': ['--lectern-text', '#5f6368', '#b0b8c4'],
  '--biel-bot-content-font-family': ['--lectern-font', '"Inter", "Tahoma", "sans-serif"'],
  '--biel-bot-content-border-color': ['--lectern-border', 'rgba(0, 0, 0, 0.08)', 'rgba(255, 255, 255, 0.1)'],
  '--biel-bot-content-border-radius': ['--lectern-radius-l', '12px'],
  '--biel-bot-content-box-shadow': [
    'dialog box-shadow',
    '0px 4px 6px -1px rgba(0, 0, 0, 0.1), 0px 2px 4px -1px rgba(0, 0, 0, 0.06)',
  ],
  '--biel-bot-content-z-index': ['--lectern-z-index', '300'],
  '--biel-search-content-bg-color': ['--lectern-surface', '#fff', '#191919'],
  '--biel-search-content-text-color': ['--lectern-text', '#191919', '#b0b8c4'],
  '--biel-search-content-font-family': ['--lectern-font', '"Inter", "Tahoma", "sans-serif"'],
  '--biel-search-content-border-color': [
    '--lectern-border',
    'rgba(0, 0, 0, 0.08)',
    'rgba(255, 255, 255, 0.1)',
  ],
  '--biel-search-content-border-radius': ['--lectern-radius-l', '12px'],
  '--biel-search-content-box-shadow': [
    'dialog box-shadow',
    '0px 4px 6px -1px rgba(0, 0, 0, 0.1), 0px 2px 4px -1px rgba(0, 0, 0, 0.06)',
  ],
  '--biel-search-content-z-index': ['--lectern-z-index', '300'],
  '--biel-search-content-max-width': ['dialog max-inline-size', '700px'],
  '--biel-search-content-max-height': ['dialog max-block-size', '100dvh', '80dvh'],
  '--biel-search-result-title-color': ['title color', '#191919', '#fff'],
  '--biel-search-result-mark-color': ['mark color', '#0070F4', '#3a99ff'],
  '--biel-search-result-bg-hover-color': ['--lectern-selected', '#ebebeb', '#3a3a3a'],
  '--biel-search-result-border-color': ['--lectern-border', '#ccc', '#363636'],
  '--biel-search-result-border-radius': ['--lectern-radius-m', '6px'],
  '--biel-search-result-description-color': ['--lectern-muted', '#666666', '#b0b8c4'],
  '--biel-search-button-bg-color': ['button background-color', '#fff', '#191919'],
  '--biel-search-button-text-color': ['button color', '#191919', '#fff'],
  '--biel-search-button-border-color': ['button border-color', '#ccc', '#0070F4'],
  '--biel-search-button-border-radius': ['button border-radius', '20px'],
  '--biel-search-button-padding': ['button padding', '8px', '8px 15px'],
  '--biel-search-button-text-font-size': ['button font-size', '16px'],
  '--biel-search-button-text-font-weight': ['button font-weight', '400'],
  '--biel-button-dark-bg-color': ['button background-color', '#0070F4'],
  '--biel-button-dark-text-color': ['button color', '#fff'],
  '--biel-button-light-bg-color': ['button background-color', '#fff'],
  '--biel-button-light-text-color': ['button color', '#0070F4'],
  '--biel-button-border-radius': ['button border-radius', '20px'],
  '--biel-button-box-shadow': [
    'button box-shadow',
    'rgba(60, 64, 67, 0.3) 0px 1px 2px 0px, rgba(60, 64, 67, 0.15) 0px 2px 6px 2px',
  ],
  '--biel-button-padding': ['button padding', '8px 15px'],
  '--biel-button-position-bottom': ['--lectern-offset', '15px'],
  '--biel-button-position-right': ['--lectern-offset', '15px'],
  '--biel-button-text-font-size': ['button font-size', '16px'],
  '--biel-button-text-font-weight': ['button font-weight', '400'],
  '--biel-button-z-index': ['--lectern-z-index'],
  '--biel-input-border-color': ['--lectern-border', '#191919', '#fff'],
  '--biel-input-button-bg-color': ['send background-color', '#191919', '#fff'],
  '--biel-input-button-color': ['send color', '#fff', '#191919'],
  '--biel-code-snippet-font-family': ['--lectern-mono', '"Courier New", "Courier", "monospace"'],
  '--biel-code-snippet-content-bg-color': ['--lectern-code', '#191919'],
}

export const isOn = (value: string | null) => value !== null && value !== 'false'

interface Wrapped {
  name: 'lectern-search' | 'lectern-ask' | 'lectern-panel'
  attributes: Record<string, string>
  /** Names of attributes that are ignored because they would mislead or harm readers. */
  refused: string[]
}

/** Translates the attributes of an old element. */
export function translate(name: string, get: (attribute: string) => string | null): Wrapped {
  const attributes: Record<string, string> = {}
  const strings: Record<string, Record<string, string>> = {}
  const hidden: string[] = []
  const refused: string[] = []
  // The old search hides its filters by default.
  if (get('hide-filters') === null) hidden.push('filters')
  for (const [attribute, effect] of Object.entries(oldAttributes)) {
    const value = get(attribute)
    if (value === null || value === '') continue
    if (refuses(effect, value)) refused.push(attribute)
    else if (typeof effect !== 'string') apply(effect, value)
  }

  function apply(effect: Exclude<Effect, string>, value: string) {
    if ('to' in effect) attributes[effect.to] = value
    if ('hide' in effect && value !== 'false') hidden.push(effect.hide)
    if (!('text' in effect)) return
    const [group, key] = effect.text.split('.') as [string, string]
    strings[group] = { ...strings[group], [key]: value }
  }

  const isSearch = name === 'biel-search' || name === 'biel-search-button'
  const position = get('button-position') ?? 'default'
  const questions = get('suggested-questions')
  if (questions) attributes.suggestions = readQuestions(questions).join('|')
  if (get('keep-conversation') === 'false') attributes.privacy = 'none'
  if (position !== 'default') attributes.position = position
  if (isSearch) attributes.variant = name === 'biel-search' ? 'none' : 'button'
  else attributes.variant = name === 'biel-bot' ? 'none' : position === 'default' ? 'button' : 'float'
  if (name === 'biel-search-button') attributes.shortcuts = 'mod+k'
  if (Object.keys(strings).length > 0) attributes.strings = JSON.stringify(strings)
  if (hidden.length > 0) attributes.hide = hidden.join(' ')
  if (name === 'biel-bot' && isOn(get('embedded-mode'))) {
    return { name: 'lectern-panel', attributes: { ...attributes, mode: 'ask' }, refused }
  }
  return { name: isSearch ? 'lectern-search' : 'lectern-ask', attributes, refused }
}

/** Whether the attribute is ignored because it would mislead or harm readers. */
export function refuses(effect: Effect, value: string): boolean {
  if (effect === 'none' || !value) return false
  return effect === 'refused' ? value !== 'false' : 'to' in effect && effect.accepts?.(value) === false
}

/** Reads a JSON array or a comma-separated list. */
function readQuestions(text: string): string[] {
  try {
    return (JSON.parse(text) as unknown[]).map(String)
  } catch {
    return text.split(',')
  }
}
