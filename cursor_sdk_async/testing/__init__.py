"""Published test doubles: a scripted bridge that is a real process."""
