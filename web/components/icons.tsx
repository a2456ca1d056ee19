// Icons as paths in a square of 20.
const paths = {
  back: 'M12 4.5 6.5 10l5.5 5.5',
  search: 'M14 8.5a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0zM12.7 12.7l4.8 4.8',
  clear: 'm5 5 10 10M15 5 5 15',
  ask: 'M3.5 4.5h13v9h-7l-3.5 3v-3H3.5z',
  send: 'M10 16V4.5M5 9.5l5-5 5 5',
  stop: 'M6 6h8v8H6z',
  copy: 'M7.5 7.5h9v9h-9zM4.5 12.5h-1v-9h9v1',
  check: 'm4 10.5 4 4 8-9',
  page: 'M5 2.5h7l3.5 3.5v11.5H5zM12 2.5V6h3.5',
}

export function Icon({ name }: { name: keyof typeof paths }) {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 20 20" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}
