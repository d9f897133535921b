"""The notebooks as a course: opened by one command, and given to a class without their solutions."""
