// Creates the trigger.
import { icons, make, makeIcon } from '../components/make.ts'
import type { Kind } from './host.ts'
import { type Shortcut, toAria, toCap } from './shortcuts.ts'

export interface TriggerOptions {
  kind: Kind
  /** `field`, `button`, `icon`, `float`, `none` */
  variant: string
  /** Position of a floating trigger, such as `bottom-right`. */
  position: string
  /** Shown if the element has no text. */
  text: string
  shortcut: Shortcut | undefined
  hasIcon: boolean
  /** Called when a reader is about to open the widget. */
  onNear(): void
  onOpen(): void
}

export function makeTrigger(options: TriggerOptions): HTMLButtonElement {
  const { kind, variant, position, text, shortcut, hasIcon, onNear, onOpen } = options
  const isIcon = variant === 'icon'
  const attributes = {
    ...{ type: 'button', part: 'button', class: 'trigger', 'aria-haspopup': 'dialog' },
    'data-variant': variant,
    'data-position': position,
    'aria-keyshortcuts': shortcut && toAria(shortcut),
    hidden: variant === 'none',
    title: isIcon && text,
    ...{ pointerenter: onNear, focus: onNear, click: onOpen },
  }
  return make(
    'button',
    attributes,
    hasIcon ? makeIcon(icons[kind === 'ask' ? 'ask' : 'search']) : '',
    make('span', { class: 'label' }, make('slot', {}, text)),
    shortcut && !isIcon ? make('kbd', { part: 'key', 'aria-hidden': 'true' }, toCap(shortcut)) : '',
  )
}
